"""The databases and questions that are shipped, one database a module, and what makes and measures the panel."""
