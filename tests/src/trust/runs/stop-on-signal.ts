/** Aborted when somebody asks the program to end: a long run then finishes its step and writes down what it has found. */
export function stopOnSignal(): AbortSignal {
  const stopping = new AbortController();
  // Not SIGINT: a terminal sends that to the gateways as well.
  process.once("SIGTERM", () => {
    console.log("Ending after this step; SIGTERM once more ends at once.");
    stopping.abort();
  });
  return stopping.signal;
}
