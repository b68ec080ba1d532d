// What is deployed is what the code knows: the image's user, port, versions and folders, names in the environment, paths of
// probes, and periods of grace that are longer than the gateway's own.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { schemas } from "../src/config/schema.ts";
import { createMetrics } from "../src/gateway/http/metrics.ts";
import { readDockerfile } from "./check/image.mjs";

const HERE = import.meta.dirname;
const read = (path) => readFileSync(join(HERE, path), "utf8");
const dockerfile = readDockerfile(join(HERE, "Dockerfile")).instructions;
const last = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === "FROM"));
const find = (name) => last.find((instruction) => instruction.name === name)?.rest;
const compose = parse(read("compose.yaml"), { merge: true });
const manifests = readdirSync(join(HERE, "kubernetes")).flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document) => {
    expect(document.errors, name).toEqual([]);
    return document.toJS();
  }),
);
const ofKind = (kind) => manifests.find((manifest) => manifest.kind === kind);
const pod = ofKind("Deployment").spec.template.spec;
const [container] = pod.containers;
const config = schemas.config.parse(parse(read("tutti.config.yaml")));
const PORT = Number(/^const PORT = ([\d_]+);/m.exec(read("../src/cli/serve.ts"))[1].replace("_", ""));

describe("the image", () => {
  it("runs as a user without rights, and says its port and whether it is healthy", () => {
    expect(find("USER")).toBe("1000:1000");
    expect(Number(find("EXPOSE"))).toBe(PORT);
    expect(find("HEALTHCHECK")).toContain(`http://127.0.0.1:${PORT}/health`);
    expect(JSON.parse(find("CMD"))).toEqual(["serve", "--host", "0.0.0.0"]);
  });

  it("has what a journal in Postgres needs, in the versions of package.json", () => {
    const { version, devDependencies } = JSON.parse(read("../package.json"));
    const install = dockerfile.find(({ name, rest }) => name === "RUN" && rest.includes(".tgz")).rest;
    expect(install).toContain(`tutti-${version}.tgz`);
    for (const name of ["pg", "@dbos-inc/dbos-sdk"])
      expect(install).toContain(`${name}@${devDependencies[name]}`);
  });

  it("has a folder of its own for what is written, known by the name that the code reads", () => {
    const env = last.filter(({ name }) => name === "ENV").map(({ rest }) => rest);
    expect(env).toContain("TUTTI_HOME=/var/lib/tutti");
    expect(read("../src/config/home.ts")).toContain("TUTTI_HOME");
  });
});

describe("the manifests of Kubernetes", () => {
  it("run the image as its user with nothing writable but volumes", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 });
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    expect(container.ports[0].containerPort).toBe(PORT);
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      "/etc/tutti",
      "/var/lib/tutti",
      "/tmp",
    ]);
  });

  it("probe routes that are there", () => {
    const routes = read("../src/gateway/app.ts");
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      expect(routes).toContain(`"GET", "${container[probe].httpGet.path}"`);
  });

  it("give it the time that it may take to end", () => {
    const drainSeconds = container.lifecycle.preStop.sleep.seconds + config.gateway.shutdownMs / 1_000;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 5);
    expect(Number.parseInt(compose.services["gateway-1"].stop_grace_period, 10)).toBeGreaterThan(
      config.gateway.shutdownMs / 1_000 + 5,
    );
  });

  it("scale by metrics that it has", async () => {
    const known = await createMetrics().text();
    const wanted = ofKind("HorizontalPodAutoscaler").spec.metrics.flatMap(
      ({ pods }) => pods?.metric.name ?? [],
    );
    expect(wanted.length).toBeGreaterThan(0);
    for (const name of wanted) expect(known).toContain(`\n${name} `);
  });

  it("name each other, and files that are there", () => {
    const { resources, configMapGenerator } = ofKind("Kustomization");
    const files = readdirSync(join(HERE, "kubernetes"));
    expect(files).toEqual(expect.arrayContaining([...resources, ...configMapGenerator[0].files]));
    const { selector } = ofKind("Service").spec;
    expect(ofKind("Deployment").spec.selector.matchLabels).toEqual(selector);
    expect(ofKind("PodDisruptionBudget").spec.selector.matchLabels).toEqual(selector);
    expect(ofKind("HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe(
      ofKind("Deployment").metadata.name,
    );
    // Comments may differ, what it says may not.
    expect(parse(read("kubernetes/tutti.config.yaml"))).toEqual(parse(read("tutti.config.yaml")));
  });
});

describe("the services of compose", () => {
  const gateways = ["gateway-1", "gateway-2"].map((name) => compose.services[name]);

  it("are two gateways of one kind behind a balancer that asks them", () => {
    const balancer = read("haproxy.cfg");
    for (const [i, gateway] of gateways.entries()) {
      expect(gateway.read_only).toBe(true);
      expect(balancer).toContain(`server gateway-${i + 1} gateway-${i + 1}:${PORT}`);
    }
    expect(balancer).toContain("uri /ready");
  });

  it("are told names that the code reads", () => {
    const known = [read("../src/config/home.ts"), read("../src/config/default-models.ts")].join("\n");
    const secret = ofKind("Secret").stringData;
    for (const name of [...Object.keys(gateways[0].environment), ...Object.keys(secret)])
      expect(known, name).toContain(name);
  });
});
