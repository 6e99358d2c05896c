"""Measurements that compare: our layers one by one and beside what others publish, in one run."""
