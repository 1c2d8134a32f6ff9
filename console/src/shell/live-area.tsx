import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { queryClient } from "../api-queries.ts";
import { ToastRegion } from "../ui/toast.tsx";

/** The query client for the pages within, and the toasts. */
export function LiveArea() {
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
      <ToastRegion />
    </QueryClientProvider>
  );
}
