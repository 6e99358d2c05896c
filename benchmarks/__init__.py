"""Everything that is time. Run: python -m benchmarks [--quick] [--json FILE]."""
