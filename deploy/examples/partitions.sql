-- Divides submissions and deliveries into 16 partitions each, by a hash of deployment_id. docs/scaling.md says when.
-- Stop all processes, make a backup, then: psql "$DATABASE_URL" -v ON_ERROR_STOP=1 --single-transaction -f partitions.sql
-- It copies both tables. The disk needs room for that, and the service stays down until it is done.
DO $$
DECLARE
  partitions CONSTANT int := 16;
  name text;
  options text;
  index record;
  key record;
BEGIN
  CREATE TEMP TABLE referring ON COMMIT DROP AS
    SELECT conrelid::regclass AS of, conname, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint WHERE contype = 'f' AND confrelid IN ('submissions'::regclass, 'deliveries'::regclass);
  FOR key IN SELECT * FROM referring LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key.of, key.conname);
  END LOOP;

  FOREACH name IN ARRAY ARRAY['submissions', 'deliveries'] LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_whole');
    EXECUTE format(
      'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE) '
      'PARTITION BY HASH (deployment_id)', name, name || '_whole');
    SELECT array_to_string(reloptions, ', ') INTO options FROM pg_class WHERE oid = (name || '_whole')::regclass;
    FOR number IN 0..partitions - 1 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
        name || '_' || number, name, partitions, number);
      IF options IS NOT NULL THEN EXECUTE format('ALTER TABLE %I SET (%s)', name || '_' || number, options); END IF;
    END LOOP;
    EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, name || '_whole');

    FOR index IN
      SELECT relname, indisprimary, indisunique, pg_get_indexdef(pg_class.oid) AS definition,
             (SELECT string_agg(attname, ', ' ORDER BY position)
                FROM unnest(indkey) WITH ORDINALITY AS part (number, position)
                JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number) AS columns
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indrelid = (name || '_whole')::regclass
    LOOP
      -- A unique index of a partitioned table contains what divides it.
      IF index.indisunique AND index.columns !~ '\mdeployment_id\M' THEN
        index.definition := replace(index.definition, '(' || index.columns || ')', '(' || index.columns || ', deployment_id)');
        index.columns := index.columns || ', deployment_id';
      END IF;
      IF index.indisprimary THEN
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', name || '_whole', index.relname);
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (%s)', name, index.relname, index.columns);
      ELSE
        EXECUTE format('DROP INDEX %I', index.relname);
        EXECUTE replace(index.definition, name || '_whole', name);
      END IF;
    END LOOP;
    EXECUTE format('DROP TABLE %I', name || '_whole');
  END LOOP;

  FOR key IN SELECT * FROM referring LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.of, key.conname, key.definition);
  END LOOP;
END
$$;
ANALYZE submissions, deliveries;
