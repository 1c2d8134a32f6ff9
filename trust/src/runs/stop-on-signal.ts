/** Aborts on SIGTERM: a long run then finishes its current step and records what it has found. */
export function stopOnSignal(): AbortSignal {
  const stopping = new AbortController();
  // Not SIGINT: a terminal sends that signal to the gateways as well.
  process.once("SIGTERM", () => {
    console.log("Ending after this step; SIGTERM once more ends at once.");
    stopping.abort();
  });
  return stopping.signal;
}
