"""`make bench`: what a turn costs, layer by layer, on this machine and against nothing but it."""
