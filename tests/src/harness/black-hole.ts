// An address that takes no connection.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram } from "./child-process.ts";

/** A listener with a full queue that never accepts a connection: connecting hangs. */
export async function startBlackHole() {
  const source =
    "require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { console.log(this.address().port) })";
  const program = startProgram({
    file: process.execPath,
    args: ["-e", source],
    env: { PATH: process.env.PATH },
  });
  const port = await program.waitForLine((line) => Number(line) || undefined, 20_000);
  program.kill("SIGSTOP");
  const knocking: Socket[] = [];
  // Those that are let in fill the queue; the first that is not shows that it is full.
  for (let isFull = false; !isFull; ) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    knocking.push(socket);
    isFull = await Promise.race([
      once(socket, "connect").then(() => false),
      pause(300).then(() => true),
    ]);
    if (knocking.length > 600) throw new Error("the queue is never full");
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of knocking) socket.destroy();
      program.kill("SIGKILL");
      await program.exited;
    },
  };
}
