"""Personal data: detectors that refuse it in notes and mask it in conversation turns."""
