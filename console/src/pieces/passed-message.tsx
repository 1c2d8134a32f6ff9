import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Alert } from "../ui/alert.tsx";

/** What the page before has to say ("Token created successfully"): shown once, gone after a reload. */
export function PassedMessage() {
  const navigate = useNavigate();
  const state = useRouterState({ select: (router) => router.location.state });
  const [passed] = useState({ message: state.message, tone: state.tone });
  useEffect(() => {
    if (passed.message !== undefined) void navigate({ to: ".", search: true, replace: true, state: {} });
  }, [passed, navigate]);
  if (passed.message === undefined) return null;
  return <Alert tone={passed.tone ?? "good"} title={passed.message} />;
}
