import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';

type Kind = new (object: never) => { validate: () => void };

const KINDS: Readonly<Record<string, Kind>> = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 ConfigMap': core.ConfigMap,
  'v1 Namespace': core.Namespace,
  'v1 PersistentVolumeClaim': core.PersistentVolumeClaim,
  'v1 Service': core.Service,
  'v1 ServiceAccount': core.ServiceAccount,
};

/** Returns how an object violates the schema of its kind, including unknown fields. */
export function schemaProblems(object: { readonly apiVersion: string; readonly kind: string }): string[] {
  const Kind = KINDS[`${object.apiVersion} ${object.kind}`];
  if (Kind === undefined) return [`unknown kind ${object.apiVersion} ${object.kind}`];
  const read = new Set<string>();
  // Constructs the object dynamically, because the type of parsed values is unknown.
  const model: object = Reflect.construct(Kind, [object]);
  const watched = watch(model, '', read);
  try {
    Kind.prototype.validate.call(watched);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return pathsOf(model, '').filter((path) => !read.has(path));
}

/** Records which fields are read. The schemas ignore unknown fields, so an unread field is misspelt or misplaced. */
function watch(value: object, path: string, read: Set<string>): object {
  return new Proxy(value, {
    get: (target, name, receiver) => {
      const field: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol') return field;
      read.add(`${path}/${name}`);
      return typeof field === 'object' && field !== null ? watch(field, `${path}/${name}`, read) : field;
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [`${path}/${name}`, ...pathsOf(field, `${path}/${name}`)]);
}
