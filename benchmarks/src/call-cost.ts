/**
 * What a call costs several servers in processor time, measured in the rounds of one run.
 */
import { type LoadEndpoint, type LoadOptions, runLoad } from "./load-generator.ts";

export interface MeasuredServer {
  name: string;
  url: string;
  key: string;
  headers?: Record<string, string>;
  /**
   * `processes` says how many share its calls, one by default: it is sent so many times the calls,
   * and so many times as many at once.
   */
  processes?: number;
  /** Chat completions by default. */
  endpoint?: LoadEndpoint;
  /** Processor time so far, in microseconds, of each part that serves it. */
  micros(): readonly number[];
  /** Resolves when no work of earlier calls is left. */
  rest?(): Promise<void>;
}

export interface CallCosts {
  /** Calls that were answered whole, those before the first round included. */
  answered: number;
  /** For each round, the microseconds per call of each part. */
  rounds: number[][];
}

export interface CostedLoad extends Pick<LoadOptions, "isStream" | "words"> {
  calls: number;
  rounds: number;
}

export const concurrency = 64;
/**
 * Calls before the first round: the engine compiles meanwhile, which takes a fifth of their
 * processor time.
 */
const warmUpCalls = 25_000;
/** Of streams, which are longer than a whole answer. */
const warmUpStreams = 5_000;

export const countWarmUp = ({ isStream, words, calls }: Omit<CostedLoad, "rounds">): number => {
  // Streams of another length come after usual ones.
  if (words !== undefined) return calls;
  return isStream ? warmUpStreams : warmUpCalls;
};

/** In the order of `servers`. Throws when a call is not answered whole. */
export async function callCosts(
  servers: readonly MeasuredServer[],
  { calls, rounds, ...what }: CostedLoad,
): Promise<CallCosts[]> {
  const load = ({ url, key, headers, endpoint, processes = 1 }: MeasuredServer, count: number) =>
    runLoad({
      ...what,
      url,
      key,
      headers,
      endpoint,
      concurrency: concurrency * processes,
      calls: count * processes,
    });
  const costs: CallCosts[] = servers.map(() => ({ answered: 0, rounds: [] }));
  const order = servers.flatMap((server, index) => {
    const cost = costs[index];
    return cost ? [{ server, cost }] : [];
  });
  for (const { server, cost } of order) {
    cost.answered += (await load(server, countWarmUp({ calls, ...what }))).answered;
    await server.rest?.();
  }
  const measure = async (server: MeasuredServer, cost: CallCosts) => {
    const before = server.micros();
    const sent = calls * (server.processes ?? 1);
    const { answered } = await load(server, calls);
    await server.rest?.();
    if (answered !== sent)
      throw new Error(`${server.name} left ${sent - answered} calls without a whole answer`);
    cost.rounds.push(server.micros().map((micros, part) => (micros - (before[part] ?? 0)) / sent));
    cost.answered += answered;
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const { server, cost } of order) await measure(server, cost);
    order.reverse();
  }
  return costs;
}

/** The microseconds of these parts together, round by round. */
export const microsOf = ({ rounds }: CallCosts, parts?: readonly number[]): number[] =>
  rounds.map((round) =>
    round
      .filter((_, part) => !parts || parts.includes(part))
      .reduce((sum, micros) => sum + micros, 0),
  );
