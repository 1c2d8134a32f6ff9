/** What a call costs several servers in processor time, measured in alternating rounds of one run. */
import { type LoadEndpoint, type LoadOptions, runLoad } from "./load-generator.ts";

export interface MeasuredServer {
  name: string;
  url: string;
  key: string;
  headers?: Record<string, string>;
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
/** Calls before the first round, until the code is compiled. */
const warmUpCalls = 3_000;
/** Of streams, which are longer than a whole answer. */
const warmUpStreams = 600;

/** In the order of `servers`. Throws when a call is not answered whole. */
export async function callCosts(
  servers: readonly MeasuredServer[],
  { calls, rounds, ...what }: CostedLoad,
): Promise<CallCosts[]> {
  const load = (server: MeasuredServer, count: number): Promise<{ answered: number }> =>
    runLoad({
      ...what,
      url: server.url,
      key: server.key,
      headers: server.headers,
      endpoint: server.endpoint,
      concurrency,
      calls: count,
    });
  const warmUp = Math.min(calls, what.isStream ? warmUpStreams : warmUpCalls);
  const costs: CallCosts[] = [];
  for (const server of servers) {
    const { answered } = await load(server, warmUp);
    await server.rest?.();
    costs.push({ answered, rounds: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    const order = servers.flatMap((server, index) => {
      const cost = costs[index];
      return cost ? [{ server, cost }] : [];
    });
    for (const { server, cost } of round % 2 === 0 ? order : order.reverse()) {
      const before = server.micros();
      const { answered } = await load(server, calls);
      await server.rest?.();
      if (answered !== calls) throw new Error(`${server.name} left ${calls - answered} calls without a whole answer`);
      cost.rounds.push(server.micros().map((micros, part) => (micros - (before[part] ?? 0)) / calls));
      cost.answered += answered;
    }
  }
  return costs;
}

/** The microseconds of these parts together, round by round. */
export const microsOf = ({ rounds }: CallCosts, parts?: readonly number[]): number[] =>
  rounds.map((round) =>
    round.filter((_, part) => !parts || parts.includes(part)).reduce((sum, micros) => sum + micros, 0),
  );
