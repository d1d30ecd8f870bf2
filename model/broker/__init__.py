"""The broker and its replicas (V3 C, E, G).

Roles: `roles` (what a replica drops when it changes them), `become_leader`, `become_follower`,
`stop_replica`, `told` (who told them). Data: `produce`, `fetch` and `fetch_in_flight`, `fetcher`, `high_watermark`, `isr`,
`replaced_controller`, `consume`.
Failure: `crash`, `start`. Commands: `answer_command`, `failed_command`, `earlier_command`. Deletion: `compaction`, `retention`.
Sessions, shutdown, clients: `new_session`, `shut_down`, `route`.
"""
