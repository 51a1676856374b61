"""Pictures. They need matplotlib."""
