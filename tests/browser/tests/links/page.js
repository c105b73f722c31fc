// A page with nothing but links, for the tests beside it.

import { NoPort, openSerial } from './serial.js';
import { SocketLink, takeToken } from './socket.js';

/** Notes what a link does. */
function note(link) {
  const log = { bytes: [], says: [] };
  link.onBytes = (bytes) => log.bytes.push(...bytes);
  link.onClosed = (sentence) => log.says.push(`closed: ${sentence}`);
  link.onRefused = (sentence) => log.says.push(`refused: ${sentence}`);
  link.onState = (isUp, sentence) => log.says.push(`${isUp ? 'up' : 'down'}: ${sentence}`);
  link.onEnd = () => log.says.push('end');
  return log;
}

const token = takeToken();
const socket = token === null ? null : new SocketLink(token);
Object.assign(window, { NoPort, openSerial, note, socket, log: socket && note(socket) });
