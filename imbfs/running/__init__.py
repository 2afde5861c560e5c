"""From tasks to records: the plan, what one task does, and the runs that carry it out."""
