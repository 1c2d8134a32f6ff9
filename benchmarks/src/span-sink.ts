/** A collector with minimal cost: it reads what it is sent, and counts the requests. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify(server.address())));
