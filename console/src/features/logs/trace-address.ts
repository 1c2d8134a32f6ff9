import { useLocation, useNavigate, useRouter, useSearch } from "@tanstack/react-router";

/** The shown trace as `/logs?trace={log id}`: a link to it can be sent, and Back closes it. */
export function useTraceAddress() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const wasOpenedHere = useLocation({ select: ({ state }) => state.opensDialog === true });
  const navigate = useNavigate();
  const { history } = useRouter();
  const goTo = (trace: string | undefined) =>
    navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, trace }) as never,
      resetScroll: false,
      ...(trace === undefined ? { replace: true } : { state: { opensDialog: true } }),
    });
  return {
    reference: typeof search.trace === "string" && search.trace !== "" ? search.trace : undefined,
    open: (reference: string) => void goTo(reference),
    /** Behind a link that was followed from elsewhere there is no list to go back to. */
    close: () => (wasOpenedHere ? history.back() : void goTo(undefined)),
  };
}
