"""Where agents work: one tree for each member with each agent, what is mounted there, and what is kept in it."""
