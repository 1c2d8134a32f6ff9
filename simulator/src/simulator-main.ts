// `node simulator/src/simulator-main.ts --port 0` prints its port as one line of JSON, then serves
// until it is stopped.
import { parseArgs } from "node:util";
import { startSimulator } from "./simulator.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    host: { type: "string", default: "127.0.0.1" },
    "with-parent": { type: "boolean", default: false },
  },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  throw new Error(`--port cannot be '${values.port}'`);

const simulator = await startSimulator({ port, host: values.host });
const stop = () => void simulator.close().then(() => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
// A parent that is killed stops nothing, but its end of the pipe closes.
if (values["with-parent"]) process.stdin.once("end", stop).resume();

// Last, because the parent process may stop the simulator as soon as it has read the line.
console.log(JSON.stringify({ port: simulator.port }));
