"""What the composition root opens, part by part."""
