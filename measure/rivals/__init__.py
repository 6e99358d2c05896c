"""What others publish for the same job, each behind one small adapter."""
