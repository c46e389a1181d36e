"""customer_service: a domain's database, its tools and policy, and a customer."""
