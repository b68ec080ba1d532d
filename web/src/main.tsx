import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { SHARED_STYLE } from "../../src/report/style.ts";
import { ApiError } from "./api.ts";
import { Shell } from "./shell/shell.tsx";
import { applyTheme } from "./shell/theme-button.tsx";
import "./ui/base.css";

applyTheme();
const style = new CSSStyleSheet();
style.replaceSync(SHARED_STYLE);
document.adoptedStyleSheets = [style];

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the gateway refuses it will refuse again.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400),
    },
  },
});

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Shell />
    </QueryClientProvider>
  </StrictMode>,
);
