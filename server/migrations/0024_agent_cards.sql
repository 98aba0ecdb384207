-- Whether a business publishes an agent card, which tells agents of others how to write to it.
ALTER TABLE parties ADD COLUMN has_agent_card boolean NOT NULL DEFAULT false;
