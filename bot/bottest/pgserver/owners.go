package pgserver

// OwnersOnly is a statement after which the tables of a store refuse each write of a worker to a shard that is not its own: what a
// program must never try. Workers are known by the names of their connections; what commands write from anywhere is let through.
const OwnersOnly = `DO $do$ DECLARE t text; BEGIN
	CREATE OR REPLACE FUNCTION owners_only() RETURNS trigger LANGUAGE plpgsql AS $$
	DECLARE
		w bigint := substring(current_setting('application_name') FROM 'worker (\d+) epoch');
		n integer := CASE TG_OP WHEN 'DELETE' THEN OLD.shard ELSE NEW.shard END;
	BEGIN
		IF w IS NOT NULL AND NOT EXISTS (SELECT 1 FROM shard WHERE shard = n AND owner = w) THEN
			RAISE EXCEPTION 'worker % writes to %, shard %, which is not its own', w, TG_TABLE_NAME, n;
		END IF;
		RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
	END $$;
	FOR t IN SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attname = 'shard' AND c.relname <> 'shard'
	LOOP
		EXECUTE format('CREATE OR REPLACE TRIGGER owners_only BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION owners_only()', t);
	END LOOP;
END $do$`
