"""Recipes of the golden files: what to write, and the facts to record about it."""
