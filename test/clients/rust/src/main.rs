//! kube-rs at work as whatever user KUBECONFIG names: `kubeveil-test-clients NAMESPACE WORD`.
//!
//! Prints what it did as one JSON object; ends with an error when anything is not as a cluster has it. NAMESPACE is made
//! and left behind; WORD is planted in every object.

use std::{collections::BTreeMap, error::Error, future::ready};

use futures::StreamExt;
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams},
    runtime::{
        WatchStreamExt,
        reflector::{self, Store},
        wait::{await_condition, conditions},
        watcher,
    },
};
use serde_json::{Value, json};

type Failable<T> = Result<T, Box<dyn Error>>;

const GROUP: &str = "rust.clients.example.com";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Failable<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, namespace, word] = arguments.as_slice() else {
        return Err("kubeveil-test-clients NAMESPACE WORD".into());
    };
    let client = Client::try_default().await?;
    let made = json!({ "metadata": { "name": namespace, "labels": { "rust": word } } });
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &serde_json::from_value(made)?).await?;
    let followed = follow(&client, namespace, word).await?;
    let applied = apply_own_kind(&client, namespace, word).await?;
    println!("{}", json!({ "followed": followed, "applied": applied }));
    Ok(())
}

/// A reflector over all namespaces, filled by a streamed list, while objects are applied, fought over and deleted.
async fn follow(client: &Client, namespace: &str, word: &str) -> Failable<Value> {
    let ours: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let map = |name: &str, value: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": name, "labels": { "rust": word } },
            "data": { "value": value },
        })
    };
    ours.patch("before", &PatchParams::apply("first"), &Patch::Apply(map("before", "one"))).await?;

    let (reader, writer) = reflector::store::<ConfigMap>();
    let selected = watcher::Config::default().labels(&format!("rust={word}")).streaming_lists();
    let stream = watcher(Api::<ConfigMap>::all(client.clone()), selected).reflect(writer).applied_objects();
    let mut heard = Vec::new();
    let write = async {
        reader.wait_until_ready().await?;
        let there = values(&reader);
        ours.patch("after", &PatchParams::apply("first"), &Patch::Apply(map("after", "one"))).await?;
        let refused = ours.patch("after", &PatchParams::apply("second"), &Patch::Apply(map("after", "two"))).await;
        let Err(kube::Error::Api(conflict)) = refused else {
            return Err("the second manager met no conflict".into());
        };
        ours.patch("after", &PatchParams::apply("second").force(), &Patch::Apply(map("after", "two"))).await?;
        ours.delete("before", &DeleteParams::default()).await?;
        let wanted = BTreeMap::from([("after".to_owned(), "two".to_owned())]);
        while values(&reader) != wanted {
            // The stream runs in between: both are on one thread.
            tokio::task::yield_now().await;
        }
        Failable::Ok(json!({ "there": there, "conflict": conflict.message, "left": values(&reader) }))
    };
    let listen = stream.for_each(|event| {
        if let Ok(map) = event {
            heard.push(map.name_any());
        }
        ready(())
    });
    let mut done = tokio::select! {
        written = write => written?,
        () = listen => return Err("the watch ended".into()),
    };
    done["heard"] = json!(heard);
    Ok(done)
}

fn values(store: &Store<ConfigMap>) -> BTreeMap<String, String> {
    let value = |map: &ConfigMap| map.data.clone().unwrap_or_default().remove("value").unwrap_or_default();
    store.state().iter().map(|map| (map.name_any(), value(map))).collect()
}

/// A kind that is defined, waited for and used by an untyped client.
async fn apply_own_kind(client: &Client, namespace: &str, word: &str) -> Failable<Value> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = format!("cogs.{GROUP}");
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": name },
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": { "plural": "cogs", "singular": "cog", "kind": "Cog" },
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    definitions.patch(&name, &PatchParams::apply("first"), &Patch::Apply(definition)).await?;
    await_condition(definitions, &name, conditions::is_crd_established()).await?;

    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, "v1", "Cog"), "cogs");
    let cogs: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind);
    let cog = json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "Cog",
        "metadata": { "name": "one" },
        "spec": { "word": word, "large": 9_007_199_254_740_993_i64 },
    });
    cogs.patch("one", &PatchParams::apply("first"), &Patch::Apply(cog)).await?;
    let found = cogs.list(&ListParams::default()).await?;
    let large = found.items.iter().map(|one| one.data["spec"]["large"].to_string());
    Ok(json!({ "large": large.collect::<Vec<_>>() }))
}
