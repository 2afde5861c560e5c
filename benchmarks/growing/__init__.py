"""What growth.py is made of: rows, work, measuring, slopes, drawing, the page."""
