"""Multi-hop questions over an encyclopedia: passages on disk, and retrieval by words, by vectors and by both."""
