import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Alert } from "../ui/alert.tsx";

/**
 * The message of the previous page ("Token created successfully"), shown once and gone after a
 * reload.
 */
export function FlashMessage() {
  const navigate = useNavigate();
  const state = useRouterState({ select: (router) => router.location.state });
  const [flash] = useState({ message: state.message, tone: state.tone });
  useEffect(() => {
    if (flash.message !== undefined)
      void navigate({ to: ".", search: true, replace: true, state: {} });
  }, [flash, navigate]);
  if (flash.message === undefined) return null;
  return <Alert tone={flash.tone ?? "good"} title={flash.message} />;
}
