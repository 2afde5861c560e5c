"""From records to what people read: tables, figures, and the folders that hold them."""
