---- MODULE Lease ----
\* The same lease in TLA+, written apart from lease.py, so that TLC can count its states.
EXTENDS Integers
CONSTANTS N, T, M, D
VARIABLES left, owner, mine, missed
Max(a, b) == IF a > b THEN a ELSE b
Node == 1..N
Init == left = 0 /\ owner = 0 /\ mine = [n \in Node |-> 0] /\ missed = [n \in Node |-> 0]
Grant(n) == /\ left = 0 /\ left' = T /\ owner' = n
            /\ mine' = [mine EXCEPT ![n] = Max(0, T - M)] /\ missed' = [missed EXCEPT ![n] = 0]
Late == {n \in Node : mine[n] > 0 /\ missed[n] < D}
Pass(S) == /\ left > 0 \/ \E n \in Node : mine[n] > 0
           /\ left' = Max(0, left - 1) /\ owner' = owner
           /\ mine' = [n \in Node |-> IF n \in S THEN mine[n] ELSE Max(0, mine[n] - 1)]
           /\ missed' = [n \in Node |-> IF n \in S THEN missed[n] + 1 ELSE missed[n]]
Next == (\E n \in Node : Grant(n)) \/ Pass({}) \/ \E n \in Late : Pass({n})
OneHolder == \A n, m \in Node : n = m \/ mine[n] = 0 \/ mine[m] = 0
====
