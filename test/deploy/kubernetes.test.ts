import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig, SETTINGS } from '../support/settings.ts';
import { PREFIX } from '../../src/parts/metrics/series.ts';
import { HAS_KUBECTL, renderManifests } from '../support/kubectl.ts';
import { schemaProblems } from '../support/kubernetes-schema.ts';

const CLOSING_MS = 17_000; // worst case for connections, gates and the browser: the closers of service.ts

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const podSchema = z.looseObject({
  terminationGracePeriodSeconds: z.number(),
  automountServiceAccountToken: z.boolean(),
  securityContext: z.looseObject({}),
  topologySpreadConstraints: z.array(z.looseObject({ labelSelector: z.unknown() })),
  containers: z.tuple([z.looseObject({ envFrom: z.array(z.unknown()), securityContext: z.unknown() })]),
});
const policySchema = z.object({ ingress: z.array(z.unknown()), egress: z.array(z.unknown()) });
const deploymentSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({ metadata: z.looseObject({ labels: z.unknown() }), spec: podSchema }),
  }),
});

describe.skipIf(!HAS_KUBECTL).each([
  ['base', 'capture-service', 'cpu'],
  ['overlays/example', 'capture-service', 'cpu'],
  ['overlays/shared-folder', 'capture-service', 'cpu'],
  ['overlays/trusted-pages', 'capture-service', 'cpu'],
  ['overlays/workers', 'capture-worker', 'jobs_waiting'],
])('deploy/kubernetes/%s (needs kubectl)', (folder, app, scalesBy) => {
  const objects = HAS_KUBECTL ? z.array(objectSchema).parse(renderManifests(folder)) : [];
  const ours = (kind: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name.startsWith('capture-service'));
  const settings = (): Record<string, string> =>
    z.looseObject({ data: z.record(z.string(), z.string()) }).parse(ours('ConfigMap')).data;
  const pod = () => deploymentSchema.parse(ours('Deployment')).spec.template;

  it('renders objects that match the schema of their kind in every field', () => {
    expect(objects.length).toBeGreaterThanOrEqual(7);
    expect(
      objects.flatMap((object) =>
        schemaProblems(object).map((problem) => `${object.kind} ${object.metadata.name}: ${problem}`),
      ),
    ).toEqual([]);
  });

  it('sets only settings that the service knows and accepts', () => {
    const known: readonly string[] = SETTINGS.map(({ name }) => name);

    expect(Object.keys(settings()).filter((name) => !known.includes(name))).toEqual([]);
    expect(() => loadConfig(settings())).not.toThrow();
  });

  it('reads secrets from a Secret, and renders none', () => {
    const secret = SETTINGS.filter((setting) => setting.secret).map(({ name }) => name);

    expect(secret.filter((name) => name in settings())).toEqual([]);
    expect(pod().spec.containers[0].envFrom).toEqual([
      { configMapRef: { name: ours('ConfigMap')?.metadata.name } },
      { secretRef: { name: 'capture-service' } },
    ]);
  });

  it('gives a pod a longer grace period than the service needs', () => {
    const { shutdownDelayMs, shutdownGraceMs } = loadConfig(settings());

    expect(shutdownDelayMs).toBeGreaterThan(0);
    expect(pod().spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      shutdownDelayMs + shutdownGraceMs + CLOSING_MS,
    );
  });

  it('runs as the user of the image, unprivileged, on a read-only root', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(readRoot('Dockerfile')) ?? [];

    expect(pod().spec).toMatchObject({ automountServiceAccountToken: false });
    expect(pod().spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(uid),
      runAsGroup: Number(gid),
      seccompProfile:
        loadConfig(settings()).browserSandbox === false
          ? { type: 'RuntimeDefault' }
          : { type: 'Localhost', localhostProfile: 'capture-seccomp.json' },
    });
    expect(pod().spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('exposes metrics on the annotated port, by the name that the service uses', () => {
    const { metricsPort } = loadConfig(settings());

    expect(pod().metadata).toMatchObject({ annotations: { 'prometheus.io/port': String(metricsPort) } });
    // A metric that needs an adapter, and is missing, stops the autoscaler from scaling down.
    const metrics = [
      ...JSON.stringify(ours('HorizontalPodAutoscaler')).matchAll(/"name":"(cpu|capture_service_\w+)"/g),
    ];
    expect(metrics.map(([, name = '']) => name.replace(PREFIX, ''))).toEqual([scalesBy]);
  });

  it('lets pods ask NodeLocal DNSCache, and reach IPv4 addresses by NAT64', () => {
    const { egress } = policySchema.parse(z.looseObject({ spec: z.unknown() }).parse(ours('NetworkPolicy')).spec);

    expect(JSON.stringify(egress)).toContain('"cidr":"169.254.20.10/32"');
    expect(JSON.stringify(egress)).toContain('"cidr":"64:ff9b::/96"');
  });

  it('names the image of a registry and a namespace, if it is an overlay that is applied as it is', () => {
    const isComplete = ['overlays/example', 'overlays/workers'].includes(folder);

    expect(pod().spec.containers.map(({ image }) => image)).toEqual([
      isComplete ? 'registry.example.com/capture-service:0.1.0' : 'capture-service',
    ]);
    expect(ours('Deployment')?.metadata['namespace']).toBe(isComplete ? 'capture' : undefined);
  });

  // If two sets of pods match one selector, they receive each other's requests. Then no autoscaler scales them, and
  // their nodes cannot be drained.
  it('selects the same pods everywhere, and no pods of other sets', () => {
    const labels = { app };

    expect(pod().metadata.labels).toEqual(labels);
    expect(ours('Deployment')).toMatchObject({ spec: { selector: { matchLabels: labels } } });
    expect(ours('Service')).toMatchObject({ spec: { selector: labels } });
    expect(ours('PodDisruptionBudget')).toMatchObject({ spec: { selector: { matchLabels: labels } } });
    expect(ours('NetworkPolicy')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } });
    for (const { labelSelector } of pod().spec.topologySpreadConstraints)
      expect(labelSelector).toEqual({ matchLabels: labels });
    expect(ours('HorizontalPodAutoscaler')).toMatchObject({
      spec: { scaleTargetRef: { kind: 'Deployment', name: ours('Deployment')?.metadata.name } },
    });
  });
});

describe.skipIf(!HAS_KUBECTL)('deploy/kubernetes/overlays/workers (needs kubectl)', () => {
  it('gives its pods the same egress as the base pods, including DNS and Redis', () => {
    const [own, base] = ['overlays/workers', 'base'].map((folder) =>
      z
        .array(objectSchema)
        .parse(renderManifests(folder))
        .filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ spec }) => policySchema.parse(spec)),
    );

    expect(base).toHaveLength(1);
    expect(own).toEqual(base);
  });
});

describe('schemaProblems', () => {
  it.each([
    ['a valid object', serviceOf({ ports: [{ port: 80 }] }), []],
    ['a value of another type', serviceOf({ ports: [{ port: 'http' }] }), [expect.stringContaining('ports/0')]],
    ['a misspelt field', serviceOf({ port: [{ port: 80 }] }), ['/spec/port', '/spec/port/0', '/spec/port/0/port']],
    ['an unknown kind', { apiVersion: 'v2', kind: 'Pod' }, ['unknown kind v2 Pod']],
  ])('checks %s', (_name, object, expected) => {
    expect(schemaProblems(object)).toEqual(expected);
  });
});

function serviceOf(spec: object) {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
}

function readRoot(file: string): string {
  return readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
}
