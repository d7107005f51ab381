"""The engine: many evaluations, of many tasks, each stored the moment it is known.

    bundle_check.py    verdicts of an archive made again
    candidate_list.py  what a user's folder or file holds
    claim_owner.py     who is judging what
    judge.py           an evaluator that stays warm, for threads and coroutines
    judge_lane.py      one thread with one judge process, kept from job to job
    judge_pool.py      which lane serves which request, and when
    judge_request.py   one candidate that waits
    loop_evaluator.py  our judge as the evaluator of another loop
    suite_run.py       every open entry judged, several at a time
    claims/            someone's claims about kernels, beside what was found
    daemon/            a session of one user that stays warm between commands

The rule: what is stored decides what is left to do, so a run that was killed goes on where it was.
"""
