/**
 * A small reader of the simulator for its tests: who asks, what for, and the answer taken apart.
 */
import { expect } from 'vitest';
import type { Role, Simulator, SimulatorOptions, WireRecord } from '../../simulator/simulator.ts';
import { startSimulator } from '../../simulator/simulator.ts';

const NOON = '2026-11-14T11:00:00Z';

/** A small account with its clock stopped at 14 November 2026, 12:00 in Berlin. */
export function startStill(options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulator({ seed: 7, tasks: 240, now: NOON, speed: 0, quota: Number.POSITIVE_INFINITY, ...options });
}

export interface Ask {
  as?: Role;
  token?: string;
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ApiResponse {
  status: number;
  type: string;
  text: string;
  /** Body as JSON; undefined when it is none. */
  json: Envelope;
}

interface Envelope {
  personid: string;
  status: string;
  code: number;
  listcount: number;
  error: { code: number; message: string };
  [resource: string]: unknown;
}

export function basic(token: string, password = 'x'): string {
  return `Basic ${Buffer.from(`${token}:${password}`).toString('base64')}`;
}

export async function ask(simulator: Simulator, path: string, options: Ask = {}): Promise<ApiResponse> {
  const token = options.token ?? simulator.tokens[options.as ?? 'Administrator'][0] ?? '';
  const sent = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  const headers = { authorization: basic(token), accept: 'application/json', 'content-type': 'application/json' };
  const answer = await fetch(`${simulator.url}${path}`, {
    method: options.method ?? 'GET',
    headers: { ...headers, ...options.headers },
    ...sent,
  });
  const text = await answer.text();
  let json = undefined as unknown as Envelope;
  try {
    json = JSON.parse(text) as Envelope;
  } catch {
    // Not every answer is JSON; tests of those look at the text.
  }
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text, json };
}

/** All records of a list, with the status checked. */
export async function list(simulator: Simulator, path: string, options: Ask = {}): Promise<WireRecord[]> {
  const response = await ask(simulator, path, options);
  expect(response.json?.error ?? null, path).toBeNull();
  const resource = path.split('/')[1] ?? '';
  return (response.json[resource] ?? []) as WireRecord[];
}

export const everything = 'limit=1000000';

/** A body that creates a record of the resource, in this account. */
export function validBody(resource: string): Record<string, string> {
  const bodies: Record<string, Record<string, string>> = {
    client: { name: 'Nightingale & Co' },
    expense: { projectid: '1', date: '2026-11-13', expense: 'Taxi', fee: '23.40' },
    invoice: { projectid: '1', date: '2026-11-14', termid: '4', title: 'November' },
    invoiceitem: { invoiceid: '1', description: 'Hosting', quantity: '2', rate: '19.90' },
    payment: { invoiceid: '1', date: '2026-11-14', amount: '10' },
    person: { firstname: 'Ada' },
    project: { name: 'Library', datestart: '2026-11-01' },
    projectmodule: { projectid: '1', module: 'Audio guide', active: 't' },
    task: {
      projectid: '1',
      moduleid: '1',
      statusid: '1',
      priorityid: '2',
      ownerid: '1',
      title: 'Choose the paper',
      dateopen: '2026-11-14',
    },
    time: { taskid: '1', date: '2026-11-14', time: '1.5' },
  };
  const body = bodies[resource];
  if (body === undefined) throw new RangeError(`no body for ${resource}`);
  return { ...body };
}
