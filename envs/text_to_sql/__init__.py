"""text_to_sql: questions over databases, answered by queries that are run."""
