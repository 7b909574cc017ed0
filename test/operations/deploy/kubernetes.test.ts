import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Service } from 'kubernetes-models/v1'
import { LIST_BOUNDS } from '../../../core/bounds'

/* Checks deploy/kubernetes without a cluster: each object against the schema of its kind, and all of them against each other. */

const FOLDER = 'deploy/kubernetes'
const ROLES = ['api', 'worker', 'sync', 'scheduler', 'tiles']

interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check it
  spec: any
  data?: Record<string, string>
}

/** Schemas by `apiVersion` and kind. */
const MODELS: Record<string, new (object: never) => { validate: () => void }> = {
  'apps/v1 Deployment': Deployment,
  'apps/v1 StatefulSet': StatefulSet,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'batch/v1 Job': Job,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 ConfigMap': ConfigMap,
  'v1 Namespace': Namespace,
  'v1 Service': Service,
}

const read = async (file: string): Promise<KubernetesObject[]> =>
  [Bun.YAML.parse(await Bun.file(join(FOLDER, file)).text())].flat() as KubernetesObject[]

const { resources, images } = ((await read('kustomization.yaml'))[0] ?? {}) as unknown as {
  resources: string[]
  images: { name: string }[]
}
const objects = (await Promise.all(resources.map(read))).flat()
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const named = (kind: string, name: string): KubernetesObject => {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const containerOf = (role: string) => named('Deployment', role).spec.template.spec.containers[0]
const secretsOf = (role: string): string[] =>
  containerOf(role)
    .envFrom.flatMap((from: { secretRef?: { name: string } }) => from.secretRef?.name ?? [])
    .toSorted()

test('the kustomization has every file of the folder', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  expect(resources.toSorted()).toEqual(files.toSorted())
})

for (const { apiVersion, kind, metadata, ...rest } of objects) {
  test(`${kind} ${metadata.name} fits the schema of Kubernetes`, () => {
    const Model = MODELS[`${apiVersion} ${kind}`]
    if (Model === undefined) throw new Error(`the test knows no ${apiVersion} ${kind}`)
    new Model({ apiVersion, kind, metadata, ...rest } as never).validate()
    // The schema is a real one.
    expect(() => new Model({ apiVersion, kind, ...rest, metadata: 7 } as never).validate()).toThrow()
  })
}

describe('each role', () => {
  for (const role of ROLES) {
    test(`${role} has two processes, probes, limits, a disruption budget, and no rights that it does not need`, () => {
      const { spec } = named('Deployment', role)
      const pod = spec.template.spec
      const container = containerOf(role)
      // A number in the file would end the scaling of the autoscaler at each apply.
      const scaled = ofKind('HorizontalPodAutoscaler').find((one) => one.spec.scaleTargetRef.name === role)
      expect([spec.replicas, scaled?.spec.minReplicas]).toEqual(scaled === undefined ? [2, undefined] : [undefined, 2])
      expect(container.args).toEqual([role])
      expect(images.map(({ name }) => name)).toContain(container.image)
      expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'operations' })
      // An unavailable database must not restart processes.
      expect(container.livenessProbe.httpGet).toEqual({ path: '/live', port: 'operations' })
      expect(container.resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30)
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const labels = spec.selector.matchLabels
      expect(spec.template.metadata.labels).toMatchObject(labels)
      expect(named('PodDisruptionBudget', role).spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } })
    })
  }

  test('the API and the workers scale, and the targets exist', () => {
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      expect(named(spec.scaleTargetRef.kind, spec.scaleTargetRef.name)).toBeDefined()
      expect(spec.minReplicas).toBe(2)
    }
    expect(ofKind('HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)).toEqual(['api', 'worker'])
  })
})

test('a worker, which runs the pages of portals, has no key of the service and does not reach the API or Meilisearch', () => {
  expect(secretsOf('worker')).toEqual(['database', 'queue', 'worker-storage'])
  expect(secretsOf('api')).toEqual(['database', 'keys', 'queue', 'search', 'storage'])
  const { egress } = named('NetworkPolicy', 'worker').spec
  const targets = JSON.stringify(egress)
  expect(targets).not.toContain('meilisearch')
  for (const network of ['10.0.0.0/8', '100.64.0.0/10']) expect(egress[0].to[0].ipBlock.except).toContain(network)
})

test('the ingress passes on the largest body that the API takes, and refuses much larger ones', () => {
  const size = named('Ingress', 'api').metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? ''
  const bytes = Number(size.replace(/m$/, '')) * 1024 ** 2
  expect(bytes).toBeGreaterThan(LIST_BOUNDS.bytes)
  expect(bytes).toBeLessThan(LIST_BOUNDS.bytes * 2)
})

test('the service knows every setting, no secret is in a file, and the README names every secret', async () => {
  const example = await Bun.file('.env.example').text()
  const settings = Object.keys(named('ConfigMap', 'settings').data ?? {})
  for (const name of settings) expect({ name, isKnown: example.includes(name) }).toEqual({ name, isKnown: true })
  expect(ofKind('Secret')).toEqual([])
  const readme = await Bun.file(join(FOLDER, 'README.md')).text()
  const secrets = new Set(ROLES.flatMap(secretsOf))
  for (const name of secrets) expect(readme).toContain(`secret generic ${name} `)
})
