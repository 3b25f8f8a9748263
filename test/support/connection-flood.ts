import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';

/*
 * A program: attacks a service over many connections of one loopback address, until it is ended. Its argument is its task as
 * JSON. It prints a line when the attack is under way.
 */

export type Attack = 'pipelined' | 'unread' | 'silent' | 'slow-bodies' | 'paused' | 'tiny-chunks' | 'large-headers';
/** `request`: the head of the request that is sent, without its last empty line. `from`: the address of the attacker. */
export type Task = { attack: Attack; port: number; from: string; connections: number; request: string };

const { attack, port, from, connections, request }: Task = JSON.parse(process.argv[2] ?? '');

// It simulates other machines: it must not use the processor that the service and its database need.
setPriority(constants.priority.PRIORITY_LOW);

const PIPELINED = Buffer.from(`${request}\r\n`.repeat(20_000));
const CHUNKS = Buffer.from('1\r\na\r\n'.repeat(50_000));

// Paused sockets don't keep a process running.
setInterval(() => undefined, 60_000);

/** Writes the same bytes again and again, as fast as they are taken. */
function writeOn(socket: Socket, bytes: Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

/** Writes a few bytes now and then. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 2_000);
  socket.once('close', () => clearInterval(timer));
}

function begin(socket: Socket): void {
  switch (attack) {
    case 'silent':
      return;
    case 'pipelined':
      writeOn(socket.resume(), PIPELINED);
      return;
    case 'unread':
      writeOn(socket.pause(), PIPELINED);
      return;
    case 'paused':
      socket.pause().write(`${request}\r\n`);
      return;
    case 'slow-bodies':
      socket.resume().write(`${request}Content-Length: 60000\r\n\r\n${'x'.repeat(30_000)}`);
      drip(socket, 'x');
      return;
    case 'tiny-chunks':
      socket.resume().write(`${request}Transfer-Encoding: chunked\r\n\r\n`);
      writeOn(socket, CHUNKS);
      return;
    case 'large-headers':
      socket.resume().write(`${request}X: ${'x'.repeat(60_000)}`);
      drip(socket, 'x');
  }
}

/** Opens a connection, and another one when it has been closed. */
function open(): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  socket.once('connect', () => begin(socket));
  socket.once('close', () => setTimeout(open, 100));
}

let opened = 0;
const opening = setInterval(() => {
  for (let count = 0; count < 200 && opened < connections; count += 1, opened += 1) open();
  if (opened < connections) return;
  clearInterval(opening);
  console.log('under way');
}, 20);
