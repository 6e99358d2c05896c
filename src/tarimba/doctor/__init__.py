"""What an operator should know about an installation before its users do: `tarimba doctor`."""
