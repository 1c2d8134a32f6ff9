/**
 * Simulators that the gateways of a test worker use one after the other: starting one costs as much
 * as many of its tests.
 */
import { type SimulatorProcess, startSimulatorProcess } from "./simulator-process.ts";

const idle: SimulatorProcess[] = [];

/**
 * `borrowSimulator` gives one that remembers nothing; `stop` gives it back. It ends with the
 * worker.
 */
export async function borrowSimulator(): Promise<
  Omit<SimulatorProcess, "stop"> & { stop(): Promise<void> }
> {
  const simulator = idle.pop() ?? (await startSimulatorProcess());
  return {
    ...simulator,
    async stop() {
      await simulator.reset();
      simulator.unref();
      idle.push(simulator);
    },
  };
}
