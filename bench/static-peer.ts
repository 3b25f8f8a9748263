import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import express from 'express';

/** Serves a folder as others do. argv: express.static or sirv, where that is installed, the folder, the port. */
const [name, packages = '', folder = '', port = '0'] = process.argv.slice(2);
const listener =
  name === 'sirv'
    ? createRequire(join(packages, 'package.json'))('sirv')(folder)
    : express().disable('x-powered-by').use(express.static(folder));
createServer(listener).listen(Number(port), '127.0.0.1');
