"""Totals over small comma-separated tables."""
