/**
 * Which connections are idle, for a stop that must cut nobody. The http server's own notion counts a connection as idle
 * from the moment its answer was given, even while a slow reader still waits for most of it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** Ends the connections on which nothing is under way, not even the beginning of a request. */
  endIdle(): void;
}

export function watchConnections(server: Server): Connections {
  /** Connections between two requests, and how many bytes had come when they fell quiet. */
  const quiet = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    quiet.set(socket, 0);
    socket.once("close", () => quiet.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    quiet.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) quiet.set(socket, socket.bytesRead);
    });
  });
  return {
    endIdle() {
      for (const [socket, bytes] of quiet) if (socket.bytesRead === bytes) socket.destroy();
    },
  };
}
