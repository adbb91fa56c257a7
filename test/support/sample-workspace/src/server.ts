import { createServer } from 'node:http';
import { nextHighWaters } from './tide.ts';

const known = { station: 'Harbour', at: new Date('2026-01-01T06:20:00Z'), metres: 3.4 };

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const count = Number(url.searchParams.get('count') ?? 4);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(nextHighWaters(known, new Date(), count)));
}).listen(8080);
