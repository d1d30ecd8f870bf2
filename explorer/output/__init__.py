"""What is printed and written: reports for people, JSON, JUnit XML, annotations, and the line of a run that goes on.

    streams           standard output and error, which may be closed or full
    progress_line     the status line of a long run
    tables            tables and prose that fit the terminal
    report            the report of an outcome for people; `proof_report`: of a proof; `repairs_report`: of repairs
    documents         what is written as JSON, as types; `documents_explored`: of explorations
    machine_readable  JSON and JUnit XML
    guards_page       a page of the documentation, from results; `repairs_page`: about repairs
"""
