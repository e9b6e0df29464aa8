//! Operation of the service: health, migrations, replicas, static files, demo.

mod demo;
mod health;
mod migrations;
mod replicas;
mod static_files;
