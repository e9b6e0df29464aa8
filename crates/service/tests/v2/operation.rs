//! Operation of the service: health, migrations, replicas, static files, demo.

mod demo;
mod health;
mod integrity;
mod key_rotation;
mod large_data;
mod metrics;
mod migrations;
mod replicas;
mod static_files;
