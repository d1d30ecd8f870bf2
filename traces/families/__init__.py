"""What is said of each family that comes with Highwater: a value of `notations` for each, and the golden `scenarios`.

    kafka        states of the Kafka model, under ZooKeeper and under KRaft; `in_flight`, `metadata`: parts of them
    messages     the arrows of its diagrams
    witness      why a property is violated; `scene`: logs as pictures
    designs      states of other models; `published_kraft`: of that
    words        what all share
"""
