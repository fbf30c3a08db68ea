"""Networks in forms that others read, one file per format."""
