"""The Console: pages where people decide. View models and templates; rules live in the slices."""
