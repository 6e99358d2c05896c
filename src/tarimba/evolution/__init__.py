"""From finished tasks to skills that an agent has earned."""
